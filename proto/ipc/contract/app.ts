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

/** How the window looks; a host application may decide it. */
export interface Appearance {
  /** `system` follows the operating system. */
  readonly language: 'system' | 'en' | 'zh-CN';
  readonly theme: 'system' | 'light' | 'dark';
}

export interface Settings extends Appearance {
  /** From which ports those of new tasks are chosen, where the task itself does not ask for one. */
  readonly ports: TaskPorts;
}

/** Any that the system calls free, or those of a range that a firewall lets through. */
export type TaskPorts = 'any' | PortRange;

/** Both ends belong to it. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/** As they are in force. */
export interface EffectiveSettings extends Settings {
  /** Those that the host application has decided. */
  readonly byHost: readonly (keyof Appearance)[];
}

export interface ExportedFile {
  /** Suggested name. */
  readonly name: string;
  readonly content: Uint8Array;
}
