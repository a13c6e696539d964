import type { ClusterDraft, ClusterInfo, MachineInfo } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import { draftOf } from './cluster-life.ts';
import type { Draft, TaskPlace } from './draft.ts';
import { type Editor, edit, follow, isDirty, markSaved, openEditor, redo, undo } from './editor.ts';
import { findProblems, isStartable } from './problems.ts';

/** A pause in the edits after which they are saved. */
const PAUSE = 300;

/** What is being dragged onto a job. */
type Dragged = { readonly kind: 'machine'; readonly machine: string } | { readonly kind: 'task'; readonly place: TaskPlace };

interface EditorEnv {
  readonly save: (draft: ClusterDraft) => Promise<ClusterInfo>;
  /** Undefined while they are not known. */
  readonly machines: () => readonly MachineInfo[] | undefined;
}

/**
 * The editor of one cluster. While nothing runs it saves by itself whatever could be started; `isHeld`, while the cluster runs, it
 * saves only when it is told to, because a change of what runs costs something.
 */
export class ClusterEditor {
  readonly id: string;
  dragged = $state.raw<Dragged | undefined>(undefined);
  /** Machine on which the next task is put. */
  machine = $state.raw('');
  saveError = $state.raw<StatusError | undefined>(undefined);
  isHeld = $state.raw(false);
  #state: Editor = $state.raw() as Editor;
  readonly draft: Draft = $derived(this.#state.present);
  readonly saved: Draft = $derived(this.#state.saved);
  readonly isDirty = $derived(isDirty(this.#state));
  readonly canUndo = $derived(this.#state.past.length > 0);
  readonly canRedo = $derived(this.#state.future.length > 0);
  readonly problems;
  readonly #env: EditorEnv;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(cluster: ClusterInfo, env: EditorEnv) {
    this.id = cluster.id;
    this.#env = env;
    this.#state = openEditor(draftOf(cluster));
    this.problems = $derived(findProblems(this.draft, env.machines()));
  }

  readonly edit = (change: (draft: Draft) => Draft): void => this.#become(edit(this.#state, change));
  readonly undo = (): void => this.#become(undo(this.#state));
  readonly redo = (): void => this.#become(redo(this.#state));

  /** What the core says of the cluster now. */
  follow(cluster: ClusterInfo): void {
    this.#state = follow(this.#state, draftOf(cluster));
  }

  /** Saves at once what is not saved yet, unless it is held; a draft with errors stays here until they are mended. */
  async save(): Promise<void> {
    if (!this.isHeld) await this.apply();
  }

  /** Saves, whether held or not. */
  async apply(): Promise<void> {
    clearTimeout(this.#timer);
    const draft = this.draft;
    if (!this.isDirty || !isStartable(this.problems)) return;
    try {
      await this.#env.save({ id: this.id, ...draft });
      this.#state = markSaved(this.#state, draft);
      this.saveError = undefined;
    } catch (error) {
      this.saveError = toStatusError(error);
    }
  }

  /** Back to what the core has, as an edit that can be undone. */
  discard(): void {
    const { saved } = this;
    this.saveError = undefined;
    this.edit(() => saved);
  }

  #become(next: Editor): void {
    if (next === this.#state) return;
    this.#state = next;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), PAUSE);
  }
}
