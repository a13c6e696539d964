import type { KeyboardInteractiveAuthMethod } from 'ssh2';

/**
 * Answers a server that asks questions: those whose answer is not shown get the password. What else is asked cannot be answered, and
 * is noted.
 */
export function answerPrompts(password: string, notes: string[]): KeyboardInteractiveAuthMethod['prompt'] {
  return (_name, _instructions, _language, prompts, finish) => {
    for (const { prompt, echo } of prompts) {
      const note = `It asks for '${prompt.trim()}', which Lanflow cannot answer: use a key`;
      if (echo && !notes.includes(note)) notes.push(note);
    }
    finish(prompts.map(({ echo }) => (echo ? '' : password)));
  };
}
