/** What a window keeps for a few things by name, across restarts; the ones that were set longest ago are forgotten. */
export interface Memory<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
}

interface MemoryOptions<T> {
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly key: string;
  readonly most: number;
  /** What was stored by an older version, or by somebody else, is not believed. */
  readonly isValid: (value: unknown) => value is T;
}

export function createMemory<T>({ storage, key, most, isValid }: MemoryOptions<T>): Memory<T> {
  const read = (): readonly (readonly [string, unknown])[] => {
    try {
      const stored: unknown = JSON.parse(storage.getItem(key) ?? '[]');
      return Array.isArray(stored) ? stored.filter(isEntry) : [];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  };
  return {
    get: (name) => {
      const value = read().find(([each]) => each === name)?.[1];
      return isValid(value) ? value : undefined;
    },
    set: (name, value) => {
      const others = read().filter(([each]) => each !== name);
      storage.setItem(key, JSON.stringify([...others, [name, value]].slice(-most)));
    },
  };
}

function isEntry(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}
