import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { workplaceHere } from '../../../../../main/install/here/workplace-here.ts';
import { Code } from '../../../../../proto/wire/status.ts';

const own = { env: {}, home: '/home/me', userName: 'me' };

describe('this machine as one to install on', () => {
  it('is called by its own name, and is never lost', () => {
    expect(workplaceHere({ ...own, platform: 'linux' }).shell).toMatchObject({ name: hostname(), isLost: false });
  });

  it('is refused with the other ways where it has Windows', () => {
    expect(() => workplaceHere({ ...own, platform: 'win32' })).toThrow(
      expect.objectContaining({
        code: Code.FAILED_PRECONDITION,
        message: expect.stringMatching(/run lanflow install .* there, or start the agent here by lanflow agent$/),
      }),
    );
  });
});
