import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unavailable } from '#proto/wire/status.ts';
import { Question } from '../../../../renderer/stores/graph-question.ts';

describe('a question', () => {
  const heard: string[] = [];
  let answers: { resolve(answer: string): void; reject(error: Error): void }[] = [];
  let question: Question<string>;

  beforeEach(() => {
    vi.useFakeTimers();
    heard.length = 0;
    answers = [];
    question = new Question<string>({
      ask: () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
      answered: (answer) => heard.push(answer),
      failed: ({ codeName }) => heard.push(codeName),
      waiting: (isWaiting) => heard.push(isWaiting ? 'waiting' : 'done'),
      settled: 400,
    });
  });
  afterEach(() => vi.useRealTimers());

  it('is asked once when wishes have settled', async () => {
    question.soon();
    await vi.advanceTimersByTimeAsync(300);
    question.soon();
    await vi.advanceTimersByTimeAsync(300);
    expect(answers).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(answers).toHaveLength(1);
  });

  it('has only its last answer heard', async () => {
    const first = question.now();
    const second = question.now();
    answers[1]?.resolve('second');
    answers[0]?.resolve('first');
    await Promise.all([first, second]);
    expect(heard).toEqual(['waiting', 'waiting', 'second', 'done']);
  });

  it('fails with the error of the core', async () => {
    const asked = question.now();
    answers[0]?.reject(unavailable('gone'));
    await asked;
    expect(heard).toEqual(['waiting', 'UNAVAILABLE', 'done']);
  });

  it('is silent once it is stopped', async () => {
    const asked = question.now();
    question.soon();
    question.stop();
    answers[0]?.resolve('late');
    await asked;
    await vi.advanceTimersByTimeAsync(1000);
    expect(heard).toEqual(['waiting']);
    expect(answers).toHaveLength(1);
  });
});
