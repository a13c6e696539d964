import { expect, it } from 'vitest';
import { type Identity, identitiesText, identityUri, readIdentities } from '#proto/trust/identity.ts';

it.each<Identity>([
  { kind: 'machine', name: '0123456789abcdef' },
  { kind: 'task', name: '/job:ps/replica:0/task:12' },
  { kind: 'user', name: "Zoë, 王 O'Neill (URI:lanflow:task:x) 100%" },
])('$kind $name comes back from a certificate as it was', (identity) => {
  const uri = identityUri(identity);
  expect(uri).toMatch(/^lanflow:[a-z]+:[\w%.~-]+$/);
  expect(readIdentities(`DNS:lab.example, URI:${uri}, URI:https://example.org`)).toEqual([identity]);
});

it('leaves out what is not ours', () => {
  expect(readIdentities(undefined)).toEqual([]);
  expect(
    readIdentities('URI:lanflow:root:x, URI:lanflow:task:, URI:lanflow:user:%zz, DNS:lanflow:user:x, "URI:lanflow:user:a, b"'),
  ).toEqual([]);
});

it('names all', () => {
  expect(
    identitiesText([
      { kind: 'task', name: '/job:a' },
      { kind: 'machine', name: 'm' },
    ]),
  ).toBe('task /job:a, machine m');
  expect(identitiesText([])).toBe('nobody that Lanflow knows');
});
