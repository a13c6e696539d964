/** What a bundle runs on, as Node names it: `linux`, `x64`. */
export interface Platform {
  readonly platform: string;
  readonly arch: string;
}

export function platformName({ platform, arch }: Platform): string {
  return `${platform}-${arch}`;
}

/** Where a bundle has its Node. */
export function nodeIn({ platform }: Pick<Platform, 'platform'>): string {
  return platform === 'win32' ? 'node/node.exe' : 'node/node';
}
