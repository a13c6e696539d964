import type { InstallInfo, SshTarget } from '#proto/ipc/contract.ts';

/** What is to be done to machines, with questions to ask before. */
export type MachineWish =
  | { readonly kind: InstallInfo['kind']; readonly targets: readonly SshTarget[] }
  | { readonly kind: 'pair'; readonly machine: string }
  /** `target`: name or address to begin with. */
  | { readonly kind: 'add'; readonly target: string }
  | { readonly kind: 'diagnose'; readonly target: string }
  | { readonly kind: 'probe' }
  /** Others become users of the lab. */
  | { readonly kind: 'invite' }
  /** This user becomes one of another lab. */
  | { readonly kind: 'join' };

/** The dialog about machines: open for somebody's wish, or closed. Any screen that shows machines may open it. */
export class MachineDialog {
  wish = $state.raw<MachineWish | undefined>(undefined);

  readonly open = (wish: MachineWish): void => {
    this.wish = wish;
  };

  /** A dialog that another one has taken the place of closes late. */
  readonly close = (wish: MachineWish): void => {
    if (this.wish === wish) this.wish = undefined;
  };
}
