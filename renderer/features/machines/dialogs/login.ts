import type { SshLogin } from '#proto/ipc/contract.ts';

/** What somebody types who leaves everything to their SSH agent and keys. */
export const emptyLogin: SshLogin = { user: '', password: '', keyFile: '', passphrase: '' };
