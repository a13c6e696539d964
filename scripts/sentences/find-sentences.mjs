import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { isSentence, isText, templatesOf, wordsOf } from './templates.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the sentences are made that the window shows. All of `task-server` but the agent speaks in TensorFlow's own words. */
const roots = ['main', 'proto', 'renderer/api', 'renderer/stores', 'task-server/agent'];

/** Folders and files among them that hold none. */
const leftOut = [
  /^main\/app\/menu-texts/, // has its own translations
  /^main\/cli\//, // speaks to terminals
  /^main\/index/, // what Electron runs
  /^main\/client\/(?!session\/)/, // TensorFlow's own words, as programs and their tests expect them
  /^main\/core\/language\/(ambient-types|completions|typescript)/, // TypeScript, and its words
  /^main\/embed\//, // speaks to developers of host applications
  /^main\/install\/(bundle\/large-files|remote\/(launchd|paths|processes|windows\/(processes|tasks)))/, // scripts
  /^main\/programs\/(?!check\.ts)/, // texts of the samples
  /^proto\/generated\//,
  /^proto\/graph-document\/problem/, // in the catalogue, as draw.problem
  /^proto\/(ops|wire)\//, // TensorFlow's own words, again
  /^proto\/trust\/pairing\/pin/, // names in a protocol
  /^task-server\/agent\/(flags|index)/, // speaks to terminals
];

/** What these are called with goes to a log, which shows it as it is, or is only looked for. */
const unsaidBy = new Set(['#log', 'addLine', 'appendFileSync', 'debug', 'error', 'includes', 'info', 'log', 'trace', 'warning', 'write']);
/** Properties whose texts are for programs, or in the catalogue. */
const unsaidAs = new Set(['cause', 'title']);

/**
 * `sentences`: what the sources say in three words or more, and everything that a StatusError is made with. `phrases`: shorter texts,
 * which may be words of a sentence or anything else; they may have a translation, but need none. Reads all sources where no files
 * are given.
 */
export function findSentences(files = roots.flatMap(sources)) {
  const sentences = new Set();
  const phrases = new Set();
  for (const file of files) readSource(parse(file), { sentences, phrases });
  return { sentences, phrases };
}

function sources(folder) {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const paths = files.filter((file) => file.endsWith('.ts')).map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
  return paths.filter((path) => !leftOut.some((pattern) => pattern.test(path))).sort();
}

function parse(path) {
  return ts.createSourceFile(path, readFileSync(resolve(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
}

function readSource(source, { sentences, phrases }) {
  const factories = importedFrom(source, /\/wire\/status\.ts$/);

  function visit(node) {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    const message = messageOf(node, factories);
    if (message) for (const template of templatesOf(message)) if (wordsOf(template) > 0) sentences.add(template);
    if (isText(node) && isSaid(node)) {
      for (const template of templatesOf(node)) (isSentence(template) ? sentences : phrases).add(template);
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
}

function importedFrom(source, module) {
  const imports = source.statements.filter((node) => ts.isImportDeclaration(node) && module.test(node.moduleSpecifier.text));
  return new Set(imports.flatMap(({ importClause }) => importClause?.namedBindings?.elements?.map(({ name }) => name.text) ?? []));
}

/** What a StatusError is made with. */
function messageOf(node, factories) {
  if (ts.isNewExpression(node)) return node.expression.getText() === 'StatusError' ? node.arguments?.[1] : undefined;
  if (!ts.isCallExpression(node)) return undefined;
  const isFactory = ts.isIdentifier(node.expression) && factories.has(node.expression.text);
  return isFactory || calleeName(node) === 'withMessage' ? node.arguments[0] : undefined;
}

/** Can the text reach people, other than as a part of a longer one? */
function isSaid(node) {
  const { parent } = node;
  if (ts.isTemplateSpan(parent) || isText(parent)) return false;
  if (ts.isPropertyAssignment(parent)) return parent.name !== node && !unsaidAs.has(parent.name.getText());
  if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)) return false;
  if (ts.isBinaryExpression(parent)) return !/^[!=]==?$/.test(parent.operatorToken.getText());
  return !(ts.isCallExpression(parent) && unsaidBy.has(calleeName(parent)));
}

function calleeName({ expression }) {
  return (ts.isPropertyAccessExpression(expression) ? expression.name : expression).getText();
}
