import type { PlacementConfig, SessionOptions } from '../../client/index.ts';

/** What of a session's options decides where its nodes may go. */
export function placementConfig({ config }: Pick<SessionOptions, 'config'>): PlacementConfig {
  return { softPlacement: config?.allowSoftPlacement ?? false, deviceFilters: [...(config?.deviceFilters ?? [])] };
}
