import { describe, expect, it } from 'vitest';
import { speaksPlain } from '#proto/trust/dialler.ts';
import { tlsFailure } from '#proto/trust/tls-failure.ts';
import { completeFiles, plaintextOf, tlsFilesOf } from '#proto/trust/tls-files.ts';
import { Code } from '#proto/wire/status.ts';

describe('plain text', () => {
  it.each(['127.0.0.1:1', '127.8.9.10:1', 'localhost:80', 'LOCALHOST:80', '[::1]:80'])('goes to %s', (address) => {
    expect(speaksPlain(address, new Set())).toBe(true);
  });

  it.each(['10.0.0.1:1', '127.0.0.1.example.org:1', 'localhost.example.org:80', '[::2]:80', '128.0.0.1:127', 'lab-1:1'])(
    'does not go to %s',
    (address) => expect(speaksPlain(address, new Set())).toBe(false),
  );

  it('goes to hosts and ports that are named', () => {
    const named = new Set(plaintextOf({ LANFLOW_TLS_PLAINTEXT: '10.0.0.1,lab-2:2222,fd00::7' }));
    const all = ['10.0.0.1:5', 'Lab-2:2222', '[fd00::7]:1', 'lab-2:2223', '10.0.0.2:5'];
    expect(all.map((address) => speaksPlain(address, named))).toEqual([true, true, true, false, false]);
  });
});

it('files are given all or not at all', () => {
  expect(tlsFilesOf({ LANFLOW_TLS_CERT: '' })).toBeUndefined();
  expect(tlsFilesOf({ LANFLOW_TLS_CERT: 'a', LANFLOW_TLS_KEY: 'b', LANFLOW_TLS_CA: 'c' })).toEqual({ cert: 'a', key: 'b', ca: 'c' });
  expect(() => tlsFilesOf({ LANFLOW_TLS_CA: 'c' })).toThrow(
    expect.objectContaining({
      code: Code.INVALID_ARGUMENT,
      message: expect.stringMatching(/^LANFLOW_TLS_CERT and LANFLOW_TLS_KEY must be given/),
    }),
  );
  expect(() => completeFiles({ crl: 'x' }, (field) => `--tls-${field}`)).toThrow('--tls-cert and --tls-key and --tls-ca');
});

it.each([
  ['write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number', /does not speak TLS.*--plaintext/],
  [
    'No connection established. Last error: Error: Refused the peer: its certificate has been revoked. Resolution note: ',
    /^its certificate has been revoked$/,
  ],
  ['unable to verify the first certificate', /another lab/],
  ['certificate is not yet valid', /clock/],
  ['ssl/tls alert certificate required', /does not accept this machine's certificate/],
])('"%s" is put in words', (text, words) => expect(tlsFailure(text)).toMatch(words));

it('leaves other failures alone', () => expect(tlsFailure('connect ECONNREFUSED 10.0.0.1:1')).toBeUndefined());
