import { beforeEach, describe, expect, it } from 'vitest';
import { InstallJob } from '../../../../main/install/install-job.ts';
import { Slots } from '../../../../main/install/slots.ts';
import { permissionDenied } from '../../../../proto/wire/status.ts';

const QUESTION = { host: 'pc1', type: 'ssh-ed25519', fingerprint: 'SHA256:abc' };

describe('the work on a machine', () => {
  let slots: Slots;

  beforeEach(() => {
    slots = new Slots(1);
  });

  function makeJob(host = 'pc1'): InstallJob {
    return new InstallJob({ target: { host, port: 22 }, kind: 'install', slots, onChange: () => undefined });
  }

  /** As `SshConnection` asks: cancellation does not wait for the answer. */
  const asked = (job: InstallJob): Promise<boolean> =>
    Promise.race([
      job.ask(QUESTION),
      new Promise<never>((_, reject) => job.signal.addEventListener('abort', () => reject(job.signal.reason))),
    ]);

  it('ends with what is there then, or with what went wrong', async () => {
    const [good, bad] = [makeJob(), makeJob()];
    await good.run(async () => 'It runs');
    await bad.run(() => Promise.reject(permissionDenied('Not you')));
    expect([good.info, bad.info]).toMatchObject([
      { stage: 'done', message: 'It runs' },
      { stage: 'failed', message: 'Not you' },
    ]);
    expect([good.isOver, bad.isOver]).toEqual([true, true]);
  });

  it('lets others work while it waits for the word on a host key', async () => {
    const [first, second] = [makeJob('pc1'), makeJob('pc2')];
    const works = [first.run(async () => `trusted: ${await asked(first)}`), second.run(async () => 'done')];
    await works[1];
    expect(first.info).toMatchObject({ stage: 'host key', hostKey: 'SHA256:abc', message: 'ssh-ed25519 of pc1' });
    first.answer(true);
    await works[0];
    expect(first.info).toMatchObject({ stage: 'done', message: 'trusted: true', hostKey: '' });
  });

  it('is over at once when it is cancelled before its turn, and stays so', async () => {
    const [first, second] = [makeJob('pc1'), makeJob('pc2')];
    let finish = (): void => undefined;
    const works = [first.run(() => new Promise((resolve) => (finish = () => resolve('done')))), second.run(() => Promise.resolve('never'))];
    second.cancel();
    expect(second.info.stage).toBe('cancelled');
    await Promise.resolve();
    finish();
    await Promise.all(works);
    expect([first.info.stage, second.info.stage]).toEqual(['done', 'cancelled']);
  });

  it('that is cancelled while it asks is cancelled for good, and its place is free', async () => {
    const job = makeJob();
    const work = job.run(async () => String(await asked(job)));
    await expect.poll(() => job.info.stage).toBe('host key');
    job.cancel();
    await work;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(job.info.stage).toBe('cancelled');
    const next = makeJob('pc2');
    await next.run(async () => 'done');
    expect(next.info.stage).toBe('done');
  });
});
