import { readFile } from 'node:fs/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { failedPrecondition, notFound, toStatusError } from '#proto/wire/status.ts';
import { type AddCommand, action, type CommandContext } from '../command.ts';
import { addGraphOptions, type GraphFlags, isDocument, runGraphFile } from '../graph-run.ts';
import { addLocalOptions } from '../local-options.ts';
import { isGraph, namedProgram } from '../named-program.ts';
import { type ProgramFlags, runProgramHere } from '../program-run.ts';
import { addTargetOptions } from '../target.ts';
import { formatJson } from '../terminal.ts';
import { formatTimeline, timelineOf, writeTrace } from '../trace-output.ts';

interface TraceFlags extends ProgramFlags, GraphFlags {
  readonly chrome?: string;
  readonly pb?: string;
  readonly json?: true;
  readonly name?: string;
}

export const addTraceCommand: AddCommand = (program, context) => {
  const command = program
    .command('trace')
    .description('print which device ran which node, when')
    .argument('<what>', 'a program, a graph with --fetch or --node (its last step is traced), or a recorded RunMetadata (.pb)')
    .option('--chrome <file>', "write the trace in Chrome's format, for Perfetto")
    .option('--pb <file>', 'write the trace as RunMetadata')
    .option('--name <name>', 'of a program with several traces: which one')
    .option('--json', 'the timeline as JSON');
  addTargetOptions(command);
  addLocalOptions(command);
  addGraphOptions(command);
  command.action(
    action('trace', context, async (signal, what: string, flags: TraceFlags) => {
      const metadata = await traced(what, flags, context, signal);
      const timeline = timelineOf(metadata);
      context.terminal.print(flags.json ? formatJson(timeline) : formatTimeline(timeline));
      await writeTrace(metadata, flags, context.terminal);
    }),
  );
};

async function traced(what: string, flags: TraceFlags, { terminal }: CommandContext, signal: AbortSignal): Promise<RunMetadata> {
  // A step that is looked at once is no run to be kept.
  const unrecorded = { ...flags, record: false };
  const program = await namedProgram(what, terminal);
  if (isGraph(program)) {
    const { graph } = program.source;
    if (flags.fetch === undefined && flags.node === undefined && !isDocument(graph)) return readRecorded(graph);
    const { metadata } = await runGraphFile(program, unrecorded, terminal, { signal, trace: true });
    if (metadata) return metadata;
    throw failedPrecondition('The master sent no trace of the step');
  }
  const { traces } = await runProgramHere(program, unrecorded, terminal, signal);
  const trace = flags.name === undefined ? traces[0] : traces.find(({ name }) => name === flags.name);
  if (trace) return trace.metadata;
  throw notFound(`The program handed over ${traces.length > 0 ? `the traces ${traces.map(({ name }) => name).join(', ')}` : 'no trace'}`);
}

async function readRecorded(path: string): Promise<RunMetadata> {
  try {
    return fromBinary(RunMetadataSchema, await readFile(path));
  } catch (error) {
    throw notFound(`${path} cannot be read as a recorded trace: ${toStatusError(error).message}`, { cause: error });
  }
}
