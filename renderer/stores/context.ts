import { getContext, setContext } from 'svelte';
import type { App } from './app.ts';

const key = Symbol('app');

export function setApp(app: App): void {
  setContext(key, app);
}

/** What the screens share. */
export function useApp(): App {
  const app = getContext<App | undefined>(key);
  if (!app) throw new Error('This component is used outside the app');
  return app;
}
