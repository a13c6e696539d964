import { EventEmitter } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { Advertiser } from '../../../../../task-server/agent/advertise/advertiser.ts';
import { recordsOf } from '../../../../../task-server/agent/advertise/records.ts';

class FakeSocket extends EventEmitter {
  send(_message: unknown, _to: unknown, done: () => void): void {
    done();
  }

  destroy(done?: () => void): void {
    done?.();
  }
}

const agent = { machine: '0123456789abcdef', startId: 'one', name: 'lab-pc', versions: {}, fingerprint: '', lab: '', port: 7470 };
const address = { address: '10.0.0.5', family: 'IPv4', internal: false, mac: '02:00:00:00:00:01', cidr: '10.0.0.5/24' } as const;
let advertiser: Advertiser | undefined;

afterEach(() => advertiser?.stop());

it('says once what to do about a machine that has the id of this one', () => {
  const socket = new FakeSocket();
  const lines: string[] = [];
  const env = { open: () => socket, interfaces: () => ({ eth0: [address] }), isWindows: false };
  advertiser = new Advertiser({ log: (line) => lines.push(line), dataFolder: '/data', env });
  advertiser.start(agent);
  socket.emit('ready');
  const hear = (changes: Partial<typeof agent>): unknown =>
    socket.emit(
      'packet',
      { type: 'response', answers: recordsOf({ agent: { ...agent, ...changes }, addresses: ['10.0.0.6'], ttl: 120 }) },
      { address: '10.0.0.6', port: 5353 },
    );
  hear({});
  hear({ machine: 'fedcba9876543210', startId: 'two' });
  expect(lines.join('\n')).not.toContain('Another machine');
  hear({ startId: 'two' });
  hear({ startId: 'two' });
  expect(lines.filter((line) => line.startsWith('Another machine'))).toEqual([
    expect.stringMatching(/10\.0\.0\.6 .*delete machine\.json and agent\/trust in \/data there, start the agent, and pair it anew$/),
  ]);
});
