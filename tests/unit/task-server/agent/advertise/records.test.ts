import { describe, expect, it } from 'vitest';
import { LANFLOW_SERVICE, SERVICE_TYPES } from '#proto/discovery/dns.ts';
import { answerTo, legacyAnswer, recordsOf } from '../../../../../task-server/agent/advertise/records.ts';

const agent = { machine: '0123abcd', startId: 'start', name: 'lab-pc', versions: {}, fingerprint: '', lab: '', port: 7450 };
const records = recordsOf({ agent, addresses: ['10.0.0.5', 'fd00::5'], ttl: 120 });
const ask = (name: string, type: string) => ({ questions: [{ name, type }] });

describe('what an agent announces', () => {
  it('is everything that one needs to connect, under names made of the machine’s id', () => {
    expect(records.map(({ name, type }) => `${name} ${type}`)).toEqual([
      '_lanflow._tcp.local PTR',
      '0123abcd._lanflow._tcp.local SRV',
      '0123abcd._lanflow._tcp.local TXT',
      'lanflow-0123abcd.local A',
      'lanflow-0123abcd.local AAAA',
    ]);
    // Shared by all machines: it must not make others' void.
    expect(records.map(({ flush }) => flush ?? false)).toEqual([false, true, true, true, true]);
    expect(records.every(({ ttl }) => ttl === 120)).toBe(true);
  });

  it('is told to whoever asks for any of it', () => {
    for (const question of [
      ask(LANFLOW_SERVICE, 'PTR'),
      ask('_LANFLOW._tcp.LOCAL', 'ANY'),
      ask('0123abcd._lanflow._tcp.local', 'TXT'),
      ask('lanflow-0123abcd.local', 'AAAA'),
    ])
      expect(answerTo(question, records)?.answers).toEqual(records);
    expect(answerTo(ask(SERVICE_TYPES, 'PTR'), records)?.answers?.[0]).toMatchObject({ data: LANFLOW_SERVICE, ttl: 120 });
  });

  it('is not told to others', () => {
    for (const question of [ask('_ssh._tcp.local', 'PTR'), ask('lab-pc.local', 'A'), ask(LANFLOW_SERVICE, 'A'), {}])
      expect(answerTo(question, records)).toBeUndefined();
    expect(answerTo(ask(LANFLOW_SERVICE, 'PTR'), [])).toBeUndefined();
  });

  it('is not told to those who know it well', () => {
    const known = (ttl: number, data = '0123abcd._lanflow._tcp.local') => ({
      ...ask(LANFLOW_SERVICE, 'PTR'),
      answers: [{ name: LANFLOW_SERVICE, type: 'PTR', ttl, data }],
    });
    expect(answerTo(known(61), records)).toBeUndefined();
    expect(answerTo(known(59), records)).toBeDefined();
    expect(answerTo(known(61, 'other._lanflow._tcp.local'), records)).toBeDefined();
  });

  it('is short-lived for plain DNS clients, which get their question back', () => {
    const query = { id: 77, ...ask(LANFLOW_SERVICE, 'PTR') };
    const answer = legacyAnswer(query, answerTo(query, records) ?? {});
    expect(answer).toMatchObject({ id: 77, questions: query.questions, type: 'response' });
    expect(answer.answers?.every(({ ttl, flush }) => ttl === 10 && flush === undefined)).toBe(true);
  });
});
