import { describe, expect, it } from 'vitest';
import { decide } from '../../../../../main/machines/diagnosis/decide.ts';
import type { Facts } from '../../../../../main/machines/diagnosis/facts.ts';

/** A machine with which all is well. */
const fine: Facts = {
  target: 'pc1',
  network: 'none',
  addresses: ['10.0.0.9'],
  address: '10.0.0.9',
  port: 7450,
  isAnnounced: true,
  others: 2,
  place: 'own subnet',
  agentPort: 'open',
  sshPort: 'refused',
  agent: { version: '0.1.3', lab: 'aa', clockOffset: 100 },
  own: { version: '0.1.0', lab: 'aa', platform: 'linux' },
};
const { agent: _, ...noAgent } = fine;
const hello = { version: '0.1.3', lab: 'aa', clockOffset: 100 };
const unheard = { ...fine, isAnnounced: false };

const cases: readonly (readonly [cause: string, facts: Facts, says: string])[] = [
  ['fine', fine, 'Nothing is in the way'],
  ['fine', { ...unheard, place: 'this machine' }, 'Nothing is in the way'],
  ['no network', { ...noAgent, network: 'no network', addresses: [] }, 'Plug in the cable'],
  ['no such name', { ...noAgent, addresses: [] }, "No machine is called 'pc1'"],
  ['no route', { ...noAgent, place: 'no route' }, 'pc1 (10.0.0.9) is in a network to which'],
  ['no route', { ...noAgent, agentPort: 'no route' }, 'default gateway'],
  ['nobody there', { ...noAgent, agentPort: 'nobody there' }, 'switched off, unplugged'],
  ['not permitted', { ...noAgent, agentPort: 'nobody there', own: { ...fine.own, platform: 'darwin' } }, 'Local Network'],
  ['not permitted', { ...noAgent, agentPort: 'forbidden' }, 'TCP port 7450'],
  ['port filtered', { ...noAgent, agentPort: 'no answer' }, 'sudo ufw allow 7450/tcp'],
  ['port filtered', { ...noAgent, agentPort: 'no answer', place: 'other subnet' }, 'is there, but a firewall drops'],
  ['nobody there', { ...noAgent, agentPort: 'no answer', sshPort: 'no answer', place: 'other subnet' }, 'who runs the network'],
  ['refused', { ...noAgent, agentPort: 'refused' }, 'lanflow agent'],
  ['refused', { ...noAgent, agentPort: 'refused', sshPort: 'open' }, 'install Lanflow there from here'],
  ['not an agent', noAgent, 'something other than a Lanflow agent'],
  ['other version', { ...fine, agent: { ...hello, version: '0.2.0' } }, '0.2.0, this is 0.1.0'],
  ['other version', { ...fine, own: { ...fine.own, version: '1.0.0' }, agent: { ...hello, version: '2.9.0' } }, 'Install this version'],
  ['other lab', { ...fine, agent: { ...hello, lab: 'bb' } }, 'another lab'],
  ['clock off', { ...fine, agent: { ...hello, clockOffset: -259_200_000 } }, '3 days behind'],
  ['clock off', { ...fine, agent: { ...hello, clockOffset: 90_000 } }, '2 minutes ahead'],
  ['clock off', { ...fine, agent: { ...hello, clockOffset: 10_800_000 } }, '3 hours ahead'],
  ['other subnet', { ...unheard, place: 'other subnet' }, 'Add it by its address'],
  ['port taken', { ...unheard, network: 'port taken' }, 'UDP port 5353'],
  ['multicast blocked there', unheard, 'those of others do'],
  ['multicast blocked', { ...unheard, others: 0 }, 'client isolation'],
];

describe('why a machine is missing', () => {
  it.each(cases)('%s (%#)', (cause, facts, says) => {
    const found = decide(facts);
    expect(found.cause).toBe(cause);
    expect(found.message).toContain(says);
  });

  it('is no matter of the lab or of patches of a version', () => {
    expect(decide({ ...fine, agent: { ...hello, lab: '' } }).cause).toBe('fine');
    expect(decide({ ...fine, own: { ...fine.own, version: '1.0.0' }, agent: { ...hello, version: '1.7.2' } }).cause).toBe('fine');
    expect(decide({ ...fine, target: '10.0.0.9', agentPort: 'refused' }).message).toMatch(/^10\.0\.0\.9 is there/);
  });
});
