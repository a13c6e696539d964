import type { IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron';
import type { ShellNotice } from '#proto/ipc/bridge.ts';
import { isOwnUrl } from './app-protocol.ts';
import { Channel } from './channels.ts';
import type { CoreConnection, SharedCore } from './shared-core.ts';
import type { AnswerShellCall } from './shell-calls.ts';

export interface PageLinkEnv {
  readonly contents: WebContents;
  readonly answer: AnswerShellCall;
  readonly core: Pick<SharedCore, 'connect' | 'isRunning'>;
}

/**
 * Connects the page of one window with the core and the shell. Each life of the page (a reload starts the next) is a window of
 * its own for the core. Whatever does not come from the page's main frame, at the window's own address, is ignored.
 */
export class PageLink {
  readonly #env: PageLinkEnv;
  readonly #early: ShellNotice[] = [];
  /** Of this life of the page, once it listens. */
  #connection: CoreConnection | undefined;

  constructor(env: PageLinkEnv) {
    this.#env = env;
    const { contents } = env;
    contents.ipc.on(Channel.frame, (event, frame: unknown) => this.#onFrame(event, frame));
    contents.ipc.on(Channel.listen, (event) => this.#onListen(event));
    contents.ipc.handle(Channel.call, (event, name: unknown, argument: unknown) => this.#onCall(event, name, argument));
    contents.on('did-start-navigation', (_event, _url, isInPlace, isMainFrame) => {
      if (isMainFrame && !isInPlace) this.#leave();
    });
    contents.on('render-process-gone', () => this.#leave());
    contents.once('destroyed', () => this.#leave());
  }

  /** Kept until the page listens. */
  notify(notice: ShellNotice): void {
    if (this.#connection) this.#env.contents.send(Channel.notice, notice);
    else if (notice.kind === 'command' || notice.kind === 'fileOpened') this.#early.push(notice);
  }

  #onFrame(event: IpcMainEvent, frame: unknown): void {
    if (this.#isOurs(event) && frame instanceof Uint8Array) this.#connection?.send(frame);
  }

  #onListen(event: IpcMainEvent): void {
    if (!this.#isOurs(event)) return;
    // A page that is being left may still have begun to listen.
    this.#leave();
    this.#connection = this.#env.core.connect((frame) => this.#env.contents.send(Channel.frame, frame));
    if (this.#env.core.isRunning) this.notify({ kind: 'coreStarted' });
    for (const notice of this.#early.splice(0)) this.notify(notice);
  }

  #onCall(event: IpcMainInvokeEvent, name: unknown, argument: unknown): ReturnType<AnswerShellCall> {
    if (this.#isOurs(event)) return this.#env.answer(name, argument);
    return Promise.reject(new Error('Only the page of the window may call the shell'));
  }

  #isOurs({ senderFrame }: IpcMainEvent | IpcMainInvokeEvent): boolean {
    return senderFrame === this.#env.contents.mainFrame && isOwnUrl(senderFrame.url);
  }

  #leave(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
