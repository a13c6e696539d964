import { cpus } from 'node:os';
import { advantage, type Measurement } from './measure.ts';

const columns = ['what', 'client', 'bundled', 'TensorFlow', 'unit', 'times better', 'to reach'] as const;

/** A table for people. */
export function table(measurements: readonly Measurement[]): string {
  const rows = [columns, ...measurements.map(row)];
  const widths = columns.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) => cells.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  ')).join('\n');
}

function row(measurement: Measurement): readonly string[] {
  const { name, client = '', unit, values, goal } = measurement;
  const times = advantage(measurement);
  return [name, client, digits(values.bundled), digits(values.python), unit, digits(times), `${digits(goal)} ${times >= goal ? '✓' : '✗'}`];
}

function pad(cell: string, width: number, column: number): string {
  return column >= 2 && column !== 4 ? cell.padStart(width) : cell.padEnd(width);
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** The same for programs. */
export function json(measurements: readonly Measurement[]): string {
  const [processor] = cpus();
  const machine = { processor: processor?.model, cores: cpus().length, node: process.version };
  const results = measurements.map((measurement) => {
    const { values, ...rest } = measurement;
    return { ...rest, bundled: values.bundled, tensorflow: values.python, timesBetter: advantage(measurement) };
  });
  return `${JSON.stringify({ machine, results }, null, 2)}\n`;
}
