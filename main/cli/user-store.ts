import { ownDataFolder } from '../store/data-folder.ts';
import { openStore, type Store } from '../store/index.ts';
import type { Terminal } from './terminal.ts';

/** What the user has in the app: settings, programs and so on. */
export function userStore(terminal: Terminal): Store {
  return openStore(ownDataFolder(), (line) => terminal.log(line));
}
