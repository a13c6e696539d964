import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { posix } from 'node:path';
import { type SFTPWrapper, utils } from 'ssh2';

const { STATUS_CODE, flagsToString } = utils.sftp;

/** Serves what Lanflow does with files: it writes and removes them in one folder, which a client names as a machine with Windows would. */
export function serveFiles(sftp: SFTPWrapper, folder: string): void {
  const local = (path: string): string => posix.join(folder, posix.basename(path));
  /** The answer is the outcome's; whatever goes wrong is "no such file". */
  const attempt = (request: number, work: () => void): void => {
    try {
      work();
    } catch {
      sftp.status(request, STATUS_CODE.NO_SUCH_FILE);
    }
  };
  sftp.on('OPEN', (request, path, flags) =>
    attempt(request, () => {
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(openSync(local(path), flagsToString(flags) ?? 'r'));
      sftp.handle(request, handle);
    }),
  );
  sftp.on('WRITE', (request, handle, offset, data) =>
    attempt(request, () => {
      writeSync(handle.readUInt32BE(), data, 0, data.length, offset);
      sftp.status(request, STATUS_CODE.OK);
    }),
  );
  sftp.on('CLOSE', (request, handle) =>
    attempt(request, () => {
      closeSync(handle.readUInt32BE());
      sftp.status(request, STATUS_CODE.OK);
    }),
  );
  sftp.on('STAT', (request, path) =>
    attempt(request, () => {
      const { mode, uid, gid, size } = statSync(local(path));
      sftp.attrs(request, { mode, uid, gid, size, atime: 0, mtime: 0 });
    }),
  );
  sftp.on('REMOVE', (request, path) =>
    attempt(request, () => {
      rmSync(local(path));
      sftp.status(request, STATUS_CODE.OK);
    }),
  );
  for (const name of ['FSTAT', 'FSETSTAT', 'SETSTAT'] as const) sftp.on(name, (request: number) => sftp.status(request, STATUS_CODE.OK));
}
