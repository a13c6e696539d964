import { BrowserView, type BrowserWindow, type Rectangle, WebContentsView, type WebPreferences } from 'electron';
import { pageBackground } from '../app/window.ts';
import type { EmbeddedCore } from './embedded-core.ts';
import { isDark, openPage } from './page.ts';

/** Where the view is in its window's content, in device-independent pixels: fixed, or computed anew whenever the window changes its size. */
export type Place = Rectangle | ((content: { readonly width: number; readonly height: number }) => Rectangle);

const whole: Place = ({ width, height }) => ({ x: 0, y: 0, width, height });

/** Older ones have classes of the same names, of which little works. */
function hasViews(): boolean {
  return Number.parseInt(process.versions.electron, 10) >= 30;
}

/** Lanflow inside a window of the host: a WebContentsView where Electron has it (30 and newer), else a BrowserView. */
export class EmbeddedView {
  readonly view: BrowserView | WebContentsView;
  #window: BrowserWindow | undefined;
  #detach: () => void = () => undefined;

  constructor(core: EmbeddedCore, webPreferences: WebPreferences) {
    this.view = hasViews() ? new WebContentsView({ webPreferences }) : new BrowserView({ webPreferences });
    this.view.setBackgroundColor(pageBackground(isDark(core.theme)));
    core.onClosed(() => this.destroy());
  }

  load(core: EmbeddedCore): Promise<void> {
    return openPage({ core, contents: this.view.webContents, window: () => this.#window });
  }

  /** Shows it in a window, over the whole content when no place is given, and takes it out of the one that it was in. */
  attach(window: BrowserWindow, place: Place = whole): void {
    this.detach();
    const { view } = this;
    if (view instanceof BrowserView) window.addBrowserView(view);
    else window.contentView.addChildView(view);
    const arrange = (): void => {
      const [width = 0, height = 0] = window.getContentSize();
      view.setBounds(typeof place === 'function' ? place({ width, height }) : place);
    };
    arrange();
    window.on('resize', arrange);
    window.once('closed', this.#forget);
    this.#window = window;
    this.#detach = () => {
      window.off('closed', this.#forget);
      if (window.isDestroyed()) return;
      window.off('resize', arrange);
      if (view instanceof BrowserView) window.removeBrowserView(view);
      else window.contentView.removeChildView(view);
    };
  }

  /** Takes it out of its window; it goes on unseen. */
  detach(): void {
    this.#detach();
    this.#forget();
  }

  destroy(): void {
    this.detach();
    const { webContents } = this.view;
    // A view has no way to be destroyed but by its contents: `close` came with Electron 23, `destroy` is older and went with it.
    if (!webContents || webContents.isDestroyed()) return;
    if (typeof webContents.close === 'function') webContents.close();
    // The types are those of a newer Electron.
    else (webContents as unknown as { destroy(): void }).destroy();
  }

  /** A view outlives the window that it was in. */
  readonly #forget = (): void => {
    this.#window = undefined;
    this.#detach = () => undefined;
  };
}
