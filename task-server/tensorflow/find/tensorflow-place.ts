/** What a search depends on, handed in so that it can be tried anywhere. */
export interface FindEnv {
  /** LANFLOW_LIBTENSORFLOW, LANFLOW_PYTHON, LANFLOW_DATA, VIRTUAL_ENV, CONDA_PREFIX, PATH and what conda sets. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Where conda is installed for all users of a machine. */
  readonly sharedFolders: readonly string[];
  /** Programs that are there in place of a Python, and ask the user to install something when they are run. */
  readonly placeholders: readonly string[];
}

/** A TensorFlow that was found. It was not loaded: whether it works is known when a server starts. */
export interface TensorFlowPlace {
  /** `2.21.0`; empty when nothing tells it. */
  readonly version: string;
  /** As its user calls it: `conda: lab`, `venv: tf`, `Python`, `libtensorflow`. */
  readonly title: string;
  /** Folder of the environment; interpreter or library where there is none. */
  readonly path: string;
  /** Library with TensorFlow's C interface, if it has one. */
  readonly library: string | undefined;
  /** Interpreter that can import it, if one can. */
  readonly python: string | undefined;
}
