import { expect, it } from 'vitest';
import { installedMessage } from '../../../../main/install/messages.ts';

it('tells what is there now, and what has stayed of earlier versions', () => {
  const facts = { service: 'systemd', isUpgrade: true, clockOffset: -180_000 } as const;
  const message =
    'The agent runs there as a service of the user, and starts with the machine. It has replaced another version. ' +
    'The clock of the machine is 3 min behind';
  expect(installedMessage({ ...facts, leftover: '' })).toBe(message);
  expect(installedMessage({ ...facts, leftover: 'Not all files could be removed' })).toBe(`${message}. Not all files could be removed`);
});
