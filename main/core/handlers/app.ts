import type { AppInfo } from '#proto/ipc/contract.ts';
import type { AreaHandlers } from '../handler.ts';

export function appHandlers(info: AppInfo): AreaHandlers<'app'> {
  return { 'app.info': () => info };
}
