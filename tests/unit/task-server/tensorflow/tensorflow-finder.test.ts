import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FindEnv, TensorFlowFinder } from '../../../../task-server/tensorflow/find/tensorflow-finder.ts';
import { FakeHome } from './fake-pythons.ts';

let home: FakeHome;

beforeEach(async () => {
  home = await FakeHome.make();
});
afterEach(() => home.remove());

async function find(variables: FindEnv['variables'] = {}, explicit?: string) {
  const looked: string[] = [];
  const places = [];
  // What a developer has installed beside Lanflow is none of the tests' business.
  for await (const place of new TensorFlowFinder(home.env(variables)).places(looked, explicit)) {
    if (!place.title.startsWith('@tensorflow/')) places.push(place);
  }
  return { places, titles: places.map(({ title, version }) => `${title} ${version}`), looked: looked.join('; ') };
}

describe('TensorFlow on a machine', () => {
  it('is found in conda without the variables of a shell, the base and its environments by name', async () => {
    await home.environment('miniconda3', { tensorflow: 'tensorflow-2.15.0.dist-info' });
    await home.write('miniconda3/condabin/conda');
    const lab = await home.environment('miniconda3/envs/lab', { tensorflow: 'tensorflow_cpu-2.21.0.dist-info' });
    await home.environment('miniconda3/envs/plain');
    await home.environment('opt/miniforge3/envs/shared', { tensorflow: 'tf_nightly_gpu-2.22.0.dist-info' });
    const { places, titles } = await find();
    expect(titles).toEqual(['conda: base 2.15.0', 'conda: lab 2.21.0', 'conda: shared 2.22.0']);
    expect(places[1]).toEqual({
      ...{ title: 'conda: lab', version: '2.21.0', path: lab, library: undefined, python: `${lab}/bin/python` },
    });
  });

  it('is found where conda has noted an environment, each once', async () => {
    const far = await home.environment('data/far', { tensorflow: 'tensorflow-2.16.1.dist-info' });
    await home.environment('.conda/envs/own', { tensorflow: 'tensorflow-2.17.0.dist-info' });
    await home.write('.conda/environments.txt', `${far}\n${home.path('.conda/envs/own')}\n${home.path('gone')}\n`);
    expect((await find()).titles).toEqual(['conda: own 2.17.0', 'conda: far 2.16.1']);
  });

  it('is taken from what the user names before what is usual', async () => {
    const active = await home.environment('work/tf', { kind: 'venv', tensorflow: 'tensorflow-2.18.0.dist-info' });
    const conda = await home.environment('miniconda3/envs/lab', { tensorflow: 'tensorflow-2.21.0.dist-info' });
    const named = await home.environment('named', { kind: 'venv', tensorflow: 'tensorflow-2.19.0.dist-info' });
    await home.environment('listed', { kind: 'venv', tensorflow: 'tensorflow-2.20.0.dist-info' });
    await home.write('data/environments.txt', '# of the course\n~/listed  # TensorFlow 2.20\n\n~/nowhere\n');
    const variables = { LANFLOW_PYTHON: named, LANFLOW_DATA: home.path('data'), VIRTUAL_ENV: active, CONDA_PREFIX: conda };
    const { titles } = await find(variables);
    expect(titles).toEqual(['venv: named 2.19.0', 'venv: listed 2.20.0', 'venv: tf 2.18.0', 'conda: lab 2.21.0']);
  });

  it('is found in the Python of PATH, in whatever folders that looks', async () => {
    await home.install('dist-packages', 'tensorflow-2.14.1.dist-info');
    const python = await home.interpreter('bin/python3', [home.path('none'), home.path('dist-packages')]);
    const { places } = await find({ PATH: dirname(python) });
    expect(places).toEqual([{ title: 'Python', version: '2.14.1', path: python, library: undefined, python }]);
  });

  it('is not asked for from what only stands in for a Python and would bother the user', async () => {
    await home.install('dist-packages', 'tensorflow-2.14.1.dist-info');
    const placeholder = await home.interpreter('usr/bin/python3', [home.path('dist-packages')]);
    expect((await find({ PATH: dirname(placeholder) })).places).toEqual([]);
    await expect(readFile(home.path('asked'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('installed while somebody watches is found by the next look, which asks no Python again', async () => {
    const python = await home.interpreter('bin/python3', [home.path('later')]);
    const finder = new TensorFlowFinder(home.env({ PATH: dirname(python) }));
    const look = async () => {
      for await (const { version } of finder.places([])) return version;
      return undefined;
    };
    expect(await look()).toBeUndefined();
    await home.install('later', 'tensorflow-2.21.0.dist-info');
    expect(await look()).toBe('2.21.0');
    expect(await readFile(home.path('asked'), 'utf8')).toBe('asked\n');
    await rm(home.path('later'), { recursive: true });
    expect(await look()).toBeUndefined();
  });

  it('brings the library that is in its package', async () => {
    const lab = await home.environment('miniconda3/envs/lab', { tensorflow: 'tensorflow-2.21.0.dist-info' });
    const library = await home.write('miniconda3/envs/lab/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2');
    expect((await find()).places).toMatchObject([{ path: lab, library }]);
  });

  it('is neither what an uninstallation has left, nor a package with a like name', async () => {
    await home.environment('miniconda3/envs/left', {});
    await home.write('miniconda3/envs/left/lib/python3.11/site-packages/tensorflow/python/left.pyc');
    await home.write('miniconda3/envs/left/lib/python3.11/site-packages/tensorflow_hub-0.16.1.dist-info/METADATA');
    expect((await find()).places).toEqual([]);
    await home.write('miniconda3/envs/left/lib/python3.11/site-packages/tensorflow/__init__.py');
    expect((await find()).titles).toEqual(['conda: left ']);
  });

  it('is the library that was asked for, or none', async () => {
    const library = await home.write('tf/libtensorflow.so.2.15.0');
    await home.environment('miniconda3', { tensorflow: 'tensorflow-2.15.0.dist-info' });
    expect((await find({}, library)).places).toEqual([
      { title: 'libtensorflow', version: '2.15.0', path: library, library, python: undefined },
    ]);
    const missing = await find({ LANFLOW_LIBTENSORFLOW: home.path('no') });
    expect(missing).toMatchObject({ places: [], looked: `libtensorflow at ${home.path('no')}` });
  });

  it('is looked for in places that are told when there is none', async () => {
    const plain = await home.environment('miniconda3/envs/plain');
    const { places, looked } = await find({ LANFLOW_PYTHON: '/no/such/python' });
    expect(places).toEqual([]);
    for (const part of ['/no/such/python (LANFLOW_PYTHON)', 'python3 (PATH)', plain, 'tfjs-node']) expect(looked).toContain(part);
  });

  it('is not found in folders that are closed to the user, and that stops nothing', async () => {
    await home.write('miniconda3/envs', 'a file where a folder is usual');
    await home.environment('anaconda3', { tensorflow: 'tensorflow-2.21.0.dist-info' });
    expect((await find()).titles).toEqual(['conda: anaconda3 2.21.0']);
  });
});
