import { describe, expect, it } from 'vitest';
import { aborted, Code, cancelled, invalidArgument, outOfRange } from '#proto/wire/status.ts';
import { stepError } from '../../../../task-server/worker/step-error.ts';

describe('the error of a step', () => {
  it('is none when no partition failed', () => {
    expect(stepError([], 2)).toBeUndefined();
  });

  it('is the root error as it is, whatever else was cancelled', () => {
    const root = invalidArgument('bad\n\t [[{{node a}}]]');
    expect(stepError([cancelled('stop'), root], 2)).toBe(root);
  });

  it('is not doubled by a Recv that passes it on', () => {
    const root = invalidArgument('bad\n\t [[{{node a}}]]');
    const passedOn = root.withMessage(`${root.message}\n\t [[_recv_a_1]]`);
    expect(stepError([passedOn, root], 2)).toBe(root);
  });

  it('lists several root errors the way TensorFlow does', () => {
    const errors = [invalidArgument('one'), cancelled('stop'), outOfRange('two')];
    expect(stepError(errors, 4)).toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: [
        '2 root error(s) found.',
        '  (0) INVALID_ARGUMENT: one',
        '  (1) OUT_OF_RANGE: two',
        '1 successful operations.',
        '1 derived errors ignored.',
      ].join('\n'),
    });
  });

  it('carries the mark of old masters when it only follows from something else', () => {
    expect(stepError([aborted('peer failed', { derived: true })], 1)).toMatchObject({
      code: Code.ABORTED,
      derived: true,
      message: '[_Derived_]peer failed',
    });
  });
});
