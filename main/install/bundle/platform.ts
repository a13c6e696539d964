/** What a bundle runs on, as Node names it: `linux`, `x64`. */
export interface Platform {
  readonly platform: string;
  readonly arch: string;
}

export function platformName({ platform, arch }: Platform): string {
  return `${platform}-${arch}`;
}
