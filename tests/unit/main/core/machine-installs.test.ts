import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MachineInstalls } from '../../../../main/core/machine-installs.ts';
import { uninstallBySsh } from '../../../../main/install/by-ssh.ts';
import { unavailable } from '../../../../proto/wire/status.ts';

vi.mock('../../../../main/install/by-ssh.ts', () => ({ uninstallBySsh: vi.fn() }));

const LOGIN = { user: 'student', password: '', keyFile: '', passphrase: '' };
const GATE = { host: 'gate', port: 22 };

describe('what was uninstalled', () => {
  const remove = vi.fn(async (_id: string) => undefined);
  const log = vi.fn();

  beforeEach(() => {
    vi.clearAllMocks();
  });

  async function uninstallAt(machine: string): Promise<void> {
    vi.mocked(uninstallBySsh).mockResolvedValue({ wasInstalled: machine !== '', machine, hasOthers: false });
    const never = () => Promise.reject(new Error('Nothing is installed'));
    const installs = new MachineInstalls({
      ssh: { home: '/home/me', userName: 'me', agent: undefined, systemFolder: '/etc/ssh' },
      ...{ bundleFor: never, componentOf: never, enroll: never, log, onChange: () => undefined },
      machines: { here: 'aaaaaaaaaaaaaaaa', add: never, remove },
    });
    installs.uninstall([GATE], LOGIN);
    await installs.finished();
  }

  it('is off the list by the id that it had there', async () => {
    await uninstallAt('bbbbbbbbbbbbbbbb');
    expect(remove.mock.calls).toEqual([['bbbbbbbbbbbbbbbb']]);
  });

  it.each(['', 'aaaaaaaaaaaaaaaa'])(
    'takes nothing off the list where there was nothing, or where this machine was meant (%j)',
    async (id) => {
      await uninstallAt(id);
      expect(remove).not.toHaveBeenCalled();
    },
  );

  it('that cannot be taken off is noted', async () => {
    remove.mockRejectedValueOnce(unavailable('No disk'));
    await uninstallAt('bbbbbbbbbbbbbbbb');
    await expect.poll(() => log.mock.calls).toEqual([['No disk']]);
  });
});
