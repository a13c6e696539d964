/** Names of the Electron channels between the shell and the preload script of a window. */
export const Channel = {
  frame: 'lanflow:frame',
  notice: 'lanflow:notice',
  listen: 'lanflow:listen',
  call: 'lanflow:call',
} as const;
