import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import { invalidArgument, StatusError } from '#proto/wire/status.ts';
import { checkAttr } from './attr-check.ts';
import { typeName } from './attr-kind.ts';
import type { AttrMap, OpDef } from './op-def.ts';
import { summarizeOp } from './op-summary.ts';
import { resolveTypes, type TensorArg } from './signature.ts';

/**
 * Throws INVALID_ARGUMENT, in TensorFlow's words, when a node does not fit its op: an attr is missing or not legal, or the
 * number of data inputs is wrong. Unknown attrs pass, as in TensorFlow 2.x: a newer client may know more of them. Expects
 * defaults to be filled in.
 */
export function validateNode(def: OpDef, node: Pick<NodeDef, 'name' | 'input' | 'attr'>): void {
  const where = `NodeDef: {{node ${node.name}}}`;
  try {
    for (const attr of def.attrs) {
      const value = node.attr[attr.name];
      if (value) checkAttr(attr, value);
    }
  } catch (error) {
    throw error instanceof StatusError ? error.withMessage(`${error.message}\n\t; ${where}; ${summarizeOp(def)}`) : error;
  }
  checkPresence(def, node.attr, where);
  if (!Object.values(node.attr).some(({ value }) => value.case === 'placeholder')) checkInputs(def, node, where);
}

function checkPresence(def: OpDef, attrs: AttrMap, where: string): void {
  const missing = def.attrs.filter(({ name }) => !attrs[name]).map(({ name }) => `'${name}'`);
  if (missing.length === 0) return;
  throw invalidArgument(`NodeDef missing attr${missing.length > 1 ? 's' : ''} ${missing.join(', ')} from ${summarizeOp(def)}; ${where}`);
}

function checkInputs(def: OpDef, node: Pick<NodeDef, 'input' | 'attr'>, where: string): void {
  const expected = resolveTypes(def, node.attr).inputs;
  const given = node.input.filter((input) => !input.startsWith('^')).length;
  if (given === expected.length) return;
  const types = expected.map(typeText).join(', ');
  throw invalidArgument(`NodeDef expected inputs '${types}' do not match ${given} inputs specified; ${summarizeOp(def)}; ${where}`);
}

function typeText({ dtype, isRef }: TensorArg): string {
  return isRef ? `${typeName(dtype)}_ref` : typeName(dtype);
}
