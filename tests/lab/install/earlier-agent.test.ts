import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cancelled } from '../../../proto/wire/status.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import { type SmallBundle, smallBundle } from './support/bundles.ts';
import { Desk } from './support/desk.ts';
import { addUser, asUser, startSshd } from './support/ssh-server.ts';

const AGENT = fileURLToPath(new URL('../../../dist/task-server/agent.js', import.meta.url));
const DATA = '.local/share/lanflow';

describeLab('installing by SSH where the user has run an agent by hand', () => {
  let lab: Lab;
  let pc: LabMachine;
  let desk: Desk;
  let other: Desk;
  let bundle: SmallBundle;

  beforeAll(async () => {
    [lab, desk, other, bundle] = await Promise.all([
      createLab({ machines: 1, withHost: true }),
      Desk.open(),
      Desk.open(),
      smallBundle({ prelude: SLOW_START }),
    ]);
    pc = lab.machine('pc1');
    await startSshd(pc);
  });

  afterAll(async () => {
    await Promise.all([lab?.destroy(), desk?.close(), other?.close(), bundle?.dispose()]);
  });

  /** Makes it a machine of the other lab. */
  async function pairByHand(user: string): Promise<void> {
    const trust = (verb: string) => `${process.execPath} ${AGENT} trust ${verb} --data $HOME/${DATA}`;
    const given = await other.enroll(JSON.parse(await asUser(pc, user, trust('request'))));
    await asUser(pc, user, `${trust('accept')} <<'TRUST'\n${JSON.stringify(given)}\nTRUST`);
  }

  const files = (user: string): Promise<string> => asUser(pc, user, 'find . -type f -exec sha256sum {} + | sort');

  it('leaves its keys and its id as they were when it fails, and there when all is uninstalled', async () => {
    await addUser(pc, 'paired');
    await pairByHand('paired');
    const before = await files('paired');
    expect(before).toContain('/agent/trust/key.pem');
    const stop = new AbortController();
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage === 'starting') setTimeout(() => stop.abort(cancelled('Enough')), 1000);
    };
    await expect(desk.install(pc, bundle, { user: 'paired', signal: stop.signal, onProgress })).rejects.toThrow('Enough');
    expect(await files('paired')).toBe(before);

    const id = await asUser(pc, 'paired', `cat ${DATA}/machine.json`);
    await desk.install(pc, bundle, { user: 'paired' });
    expect(await asUser(pc, 'paired', `ls ${DATA}/install`)).not.toContain('earlier-trust');
    expect(await desk.uninstall(pc, { user: 'paired' })).toMatchObject({ wasInstalled: true, hasOthers: true });
    expect(await asUser(pc, 'paired', `ls ${DATA} && cat ${DATA}/machine.json`)).toBe(`agent\nmachine.json\n${id}`);
    expect(await asUser(pc, 'paired', `ls ${DATA}/agent/trust`)).toContain('key.pem');
  });
});

const SLOW_START = `if (process.argv[2] !== 'trust') await new Promise((resolve) => setTimeout(resolve, 3000));
`;
