import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { parseText } from '../textproto/parse.ts';
import { printText } from '../textproto/print.ts';

/** The content of a `.pb` file. */
export function encodeGraphDef(def: GraphDef): Uint8Array {
  return toBinary(GraphDefSchema, def);
}

/** Throws INVALID_ARGUMENT when the bytes are no GraphDef. */
export function decodeGraphDef(bytes: Uint8Array): GraphDef {
  try {
    return fromBinary(GraphDefSchema, bytes);
  } catch (error) {
    throw invalidArgument(`The file holds no GraphDef: ${String(error)}`, { cause: error });
  }
}

/** The content of a `.pbtxt` file. */
export function formatGraphDef(def: GraphDef): string {
  return printText(GraphDefSchema, def);
}

/** Throws INVALID_ARGUMENT, naming line and column, when the text is no GraphDef. */
export function parseGraphDef(text: string): GraphDef {
  return parseText(GraphDefSchema, text);
}
