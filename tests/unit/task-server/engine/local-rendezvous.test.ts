import { describe, expect, it } from 'vitest';
import { aborted, cancelled, type StatusError } from '#proto/wire/status.ts';
import { LocalRendezvous } from '../../../../task-server/engine/local-rendezvous.ts';
import { scalar } from './engine-kit.ts';

const value = (number: number) => ({ tensor: scalar(number), isDead: false });

describe('LocalRendezvous', () => {
  it('hands over a stored value at once, in the order of the sends', () => {
    const rendezvous = new LocalRendezvous();
    const [first, second] = [value(1), value(2)];
    rendezvous.send('k', first);
    rendezvous.send('k', second);
    expect(rendezvous.recv('k')).toBe(first);
    expect(rendezvous.recv('k')).toBe(second);
    expect(rendezvous.isEmpty).toBe(true);
  });

  it('serves receivers that came first in their order, and keys apart', async () => {
    const rendezvous = new LocalRendezvous();
    const waits = [rendezvous.recv('k'), rendezvous.recv('k'), rendezvous.recv('other')];
    const sent = [value(1), value(2), value(3)] as const;
    rendezvous.send('other', sent[2]);
    rendezvous.send('k', sent[0]);
    rendezvous.send('k', sent[1]);
    expect(await Promise.all(waits)).toEqual(sent);
    expect(rendezvous.isEmpty).toBe(true);
  });

  it('ends parked and later receives, and sends, with the first error', async () => {
    const rendezvous = new LocalRendezvous();
    rendezvous.send('stored', value(1));
    const parked = rendezvous.recv('k');
    const first = aborted('first');
    rendezvous.abort(first);
    rendezvous.abort(aborted('second'));
    await expect(parked).rejects.toBe(first);
    await expect(rendezvous.recv('stored')).rejects.toBe(first);
    expect(() => rendezvous.send('k', value(2))).toThrow(first);
  });

  it('forgets a receiver whose signal was aborted: the value goes to the next one', async () => {
    const rendezvous = new LocalRendezvous();
    const call = new AbortController();
    const left = rendezvous.recv('k', call.signal);
    const stays = rendezvous.recv('k');
    const reason: StatusError = cancelled('gone');
    call.abort(reason);
    await expect(left).rejects.toBe(reason);
    const sent = value(1);
    rendezvous.send('k', sent);
    expect(await stays).toBe(sent);
  });
});
