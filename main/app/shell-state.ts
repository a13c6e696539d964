import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeWholeSync } from './write-whole.ts';

/** What the shell remembers from start to start. */
export interface ShellState {
  readonly theme: 'system' | 'light' | 'dark';
  /** Of menus and dialogs. Missing: the operating system's. */
  readonly language?: 'en' | 'zh-CN';
  readonly bounds?: Bounds;
  readonly maximized: boolean;
}

/** In device-independent pixels. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const initial: ShellState = { theme: 'system', maximized: false };

/** A file that is missing or damaged reads as the initial state: nothing in it is worth a question. */
export function loadShellState(file: string): ShellState {
  try {
    return parseShellState(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return initial;
    throw error;
  }
}

export function saveShellState(file: string, state: ShellState): void {
  mkdirSync(dirname(file), { recursive: true });
  writeWholeSync(file, JSON.stringify(state));
}

function parseShellState(value: unknown): ShellState {
  if (typeof value !== 'object' || value === null) return initial;
  const { theme, language, bounds, maximized } = value as Partial<ShellState>;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    ...((language === 'en' || language === 'zh-CN') && { language }),
    ...(isBounds(bounds) && { bounds }),
    maximized: maximized === true,
  };
}

function isBounds(value: unknown): value is Bounds {
  if (typeof value !== 'object' || value === null) return false;
  return (['x', 'y', 'width', 'height'] as const).every((side) => Number.isFinite((value as Partial<Bounds>)[side]));
}

/** Enough of the title bar to drag the window by. */
const GRIP = 100;

/** The bounds if the window could be seen and moved there, on the work areas of the displays of today. */
export function visibleBounds(bounds: Bounds | undefined, workAreas: readonly Bounds[]): Bounds | undefined {
  return workAreas.some((area) => bounds && overlap(bounds, area, 'x', 'width') >= GRIP && isTopInside(bounds, area)) ? bounds : undefined;
}

function overlap(a: Bounds, b: Bounds, start: 'x' | 'y', size: 'width' | 'height'): number {
  return Math.min(a[start] + a[size], b[start] + b[size]) - Math.max(a[start], b[start]);
}

function isTopInside({ y }: Bounds, area: Bounds): boolean {
  return y >= area.y && y + GRIP <= area.y + area.height;
}
