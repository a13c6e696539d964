export interface Question {
  readonly title: string;
  readonly text: string;
  /** The button that does it. */
  readonly action: string;
}

/** Asks once before what cannot be undone. */
export class Confirmation {
  question = $state.raw<Question | undefined>(undefined);
  #answer: ((agreed: boolean) => void) | undefined;

  /** A second question while one is open counts the first as declined. */
  readonly ask = (question: Question): Promise<boolean> => {
    this.#answer?.(false);
    this.question = question;
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  };

  readonly answer = (agreed: boolean): void => {
    this.question = undefined;
    this.#answer?.(agreed);
    this.#answer = undefined;
  };
}
