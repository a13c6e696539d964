import { type Session, shell, type WebContents } from 'electron';
import { isOwnUrl } from './app-protocol.ts';
import { isSafeExternalUrl } from './external-url.ts';

/** What the page itself may ask for: copying figures and texts. Everything else is refused. */
const PERMISSION = 'clipboard-sanitized-write';

/** Nothing is loaded from outside, and no permission is given but the one. */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, answer) => answer(permission === PERMISSION && isOwnUrl(contents.getURL())));
  session.setPermissionCheckHandler((_contents, permission, origin) => permission === PERMISSION && isOwnUrl(`${origin}/`));
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isLocal(url) }));
}

/** Pages made by the window itself, and the developer tools, are not outside. */
function isLocal(url: string): boolean {
  return isOwnUrl(url) || /^(devtools|blob|data):/.test(url);
}

/** The window stays on its page. A link to a safe address opens in the user's browser. */
export function guardNavigation(contents: WebContents): void {
  const openOutside = (url: string): void => {
    if (isSafeExternalUrl(url)) void shell.openExternal(url);
  };
  contents.on('will-navigate', (event, url) => {
    if (contents.getURL() === url) return;
    event.preventDefault();
    openOutside(url);
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
}
