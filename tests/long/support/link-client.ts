import { codeName, toStatusError } from '#proto/wire/status.ts';
import { Link } from '../../../task-server/service/link/link.ts';
import { createLog } from '../../../task-server/service/log.ts';
import { ropeOf } from '../../../task-server/service/rope.ts';
import type { Answer, Caller } from './raw-client.ts';

/** Calls over a task's link, as one that its cluster does not know. */
export async function dialLink(target: string): Promise<Caller> {
  const [host = '', port] = target.replace('grpc://', '').split(':');
  const log = createLog({ write: () => undefined });
  const link = await new Promise<Link>((resolve, reject) => {
    const events = { onOpen: resolve, onEnd: () => reject(new Error(`${target} has no link`)) };
    Link.dial(
      { host, port: Number(port) },
      '/job:stranger/replica:0/task:0\n127.0.0.1:1',
      { methods: new Map(), calls: new Set(), log },
      events,
    );
  });
  return {
    async call(path, request, timeoutMs): Promise<Answer> {
      const { response } = link.call(path.slice(path.lastIndexOf('/') + 1), ropeOf(request), { deadline: Date.now() + timeoutMs });
      try {
        return { code: 'OK', message: '', bytes: await response };
      } catch (error) {
        const { code, message } = toStatusError(error);
        return { code: codeName(code), message, bytes: new Uint8Array(0) };
      }
    },
    dispose: () => link.close(),
  };
}
