/** How frames reach the core: through the desktop's shell, or through a WebSocket in a browser. */
export interface Transport {
  /** A frame that is sent while there is no connection is dropped: `onLost` has said so. */
  send(frame: Uint8Array): void;
  /** Connects, and again whenever the connection is lost. Called once. */
  open(events: TransportEvents): void;
  /** Starts a core that has ended and does not come back by itself. */
  restart(): Promise<void>;
}

export interface TransportEvents {
  onFrame(frame: Uint8Array): void;
  onConnected(): void;
  onLost(loss: Loss): void;
}

/** The other side is gone. */
export interface Loss {
  /** In the words of whoever noticed; empty when nobody knows. */
  readonly reason: string;
  /** A new connection is being tried; otherwise `restart` does it. */
  readonly restores: boolean;
  /** The core itself has ended, and not only the way to it. */
  readonly coreEnded: boolean;
}
