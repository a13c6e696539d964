import { describe, expect, it } from 'vitest';
import { aborted, cancelled, codeName, invalidArgument, isDerived, toCode, toStatusError } from '#proto/wire/status.ts';

describe('status', () => {
  it('keeps code, cause and derivedness when the text changes', () => {
    const cause = new Error('socket');
    const error = invalidArgument('x', { cause, derived: true }).withMessage('y');
    expect(error).toMatchObject({ codeName: 'INVALID_ARGUMENT', message: 'y', cause, derived: true });
  });

  it('makes INTERNAL of a bug and keeps it as the cause', () => {
    const bug = new TypeError('boom');
    expect(toStatusError(bug)).toMatchObject({ codeName: 'INTERNAL', message: 'boom', cause: bug });
    expect(toStatusError('text')).toMatchObject({ codeName: 'UNKNOWN', message: 'text' });
  });

  it('reads codes outside the table as UNKNOWN', () => {
    expect(codeName(99)).toBe('UNKNOWN');
    expect(toCode(99)).toBe(2);
  });

  it('tells derived errors from root causes', () => {
    expect(isDerived(cancelled('x'))).toBe(true);
    expect(isDerived(aborted('[_Derived_]Step 5'))).toBe(true);
    expect(isDerived(aborted('Step 7 cancelled.  Cancelling rendezvous.'))).toBe(true);
    expect(isDerived(aborted('Session handle is not found'))).toBe(false);
    expect(isDerived(invalidArgument('bad'))).toBe(false);
  });
});
