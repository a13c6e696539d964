import { Server } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { acceptInvitation } from '../../../../../main/machines/lan/accept-invitation.ts';
import { Invitation } from '../../../../../main/machines/lan/invitation.ts';

const effort = { iterations: 1, memory: 8192, parallelism: 1 };
const trust = { lab: '1f', certificate: 'C', authority: 'A', handovers: 'H', revocations: 'R' };

describe('an invitation to a lab', () => {
  const admitUser = vi.fn(async () => trust);
  const onOver = vi.fn();
  let invitation: Invitation | undefined;

  async function invite() {
    invitation = await Invitation.open({ admitUser, onOver, log: () => undefined, effort });
    const place = { host: '127.0.0.1', port: invitation.port };
    return { pin: invitation.pin, accept: (pin: string) => acceptInvitation(place, { pin, user: 'teacher', request: 'CSR', effort }) };
  }

  afterEach(() => {
    invitation?.close();
    vi.clearAllMocks();
  });

  it('makes a guest who knows its PIN a user, once', async () => {
    const { pin, accept } = await invite();
    expect(await accept(pin)).toEqual(trust);
    expect(admitUser).toHaveBeenCalledExactlyOnceWith('teacher', 'CSR');
    await vi.waitFor(() => expect(onOver).toHaveBeenCalledExactlyOnceWith('teacher'));
    await expect(accept(pin)).rejects.toMatchObject({ codeName: expect.stringMatching(/UNAVAILABLE|FAILED_PRECONDITION/) });
  });

  it('is open on IPv4 where there is no IPv6', async () => {
    const bind = vi.spyOn(Server.prototype, 'bindAsync');
    const { bindAsync } = Server.prototype;
    bind.mockImplementationOnce(function (this: Server, _, credentials, done) {
      bind.mockRestore();
      // Nobody has this address.
      bindAsync.call(this, '[2001:db8::1]:0', credentials, done);
    });
    const { pin, accept } = await invite();
    expect(await accept(pin)).toEqual(trust);
  });

  it('refuses a wrong PIN, three times', async () => {
    const { pin, accept } = await invite();
    for (let i = 0; i < 3; i++) await expect(accept('0')).rejects.toMatchObject({ codeName: 'PERMISSION_DENIED' });
    await expect(accept(pin)).rejects.toMatchObject({ codeName: 'RESOURCE_EXHAUSTED' });
    expect(admitUser).not.toHaveBeenCalled();
  });

  it('passes on why a guest is not admitted', async () => {
    const { pin, accept } = await invite();
    admitUser.mockRejectedValueOnce(new Error('the clock is off'));
    await expect(accept(pin)).rejects.toThrow('the clock is off');
    expect(onOver).not.toHaveBeenCalled();
  });

  it('says that nobody invites there', async () => {
    const { pin, accept } = await invite();
    invitation?.close();
    await expect(accept(pin)).rejects.toMatchObject({
      codeName: 'UNAVAILABLE',
      message: expect.stringContaining('Whoever invites at 127.0.0.1'),
    });
  });
});
