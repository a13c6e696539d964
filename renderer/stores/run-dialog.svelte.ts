/** What the dialog begins with; the rest is as it was the last time. */
export interface RunWish {
  readonly program?: string;
  readonly cluster?: string;
}

/** The dialog that starts a run with choices: open for somebody's wish, or closed. */
export class RunDialog {
  wish = $state.raw<RunWish | undefined>(undefined);

  readonly open = (wish: RunWish = {}): void => {
    this.wish = wish;
  };

  readonly close = (): void => {
    this.wish = undefined;
  };
}
