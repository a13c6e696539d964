export interface AppInfo {
  readonly version: string;
  /** Changes when core and window no longer understand each other. */
  readonly contractVersion: number;
  /** Names and versions of what runs: Node, operating system, backends. */
  readonly versions: Readonly<Record<string, string>>;
  readonly dataFolder: string;
  readonly logFile: string;
  readonly platform: string;
}

export interface Settings {
  /** `system` follows the operating system. */
  readonly language: 'system' | 'en' | 'zh-CN';
  readonly theme: 'system' | 'light' | 'dark';
}

/** As they are in force. */
export interface EffectiveSettings extends Settings {
  /** Those that the host application has decided. */
  readonly byHost: readonly (keyof Settings)[];
}

/** A computer that tasks can run on. */
export interface MachineInfo {
  readonly id: string;
  readonly name: string;
  readonly isThis: boolean;
  /** `lost`: its agent cannot be reached, and everything else is as it was last. */
  readonly state: 'online' | 'lost';
  /** Why it is lost, with the way out; empty otherwise. */
  readonly reason: string;
  /** When it was last heard of: Unix epoch in milliseconds, 0 for never. */
  readonly seenAt: number;
  /** Tasks on it outlive the apps that started them. */
  readonly isInstalled: boolean;
  /** Of its agent and what that runs on. */
  readonly versions: Readonly<Record<string, string>>;
  readonly addresses: readonly string[];
  readonly system: string;
  readonly cores: number;
  /** Bytes. */
  readonly memoryTotal: number;
  readonly memoryFree: number;
  /** Share of all cores in use, 0 to 1. */
  readonly load: number;
  /** Bytes of the disk that Lanflow is on; 0 when unknown. */
  readonly diskTotal: number;
  readonly diskFree: number;
  readonly gpus: readonly string[];
  /** Tasks that run on it, whoever has started them. */
  readonly tasks: number;
}

export interface ExportedFile {
  /** Suggested name. */
  readonly name: string;
  readonly content: Uint8Array;
}
