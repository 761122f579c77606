/**
 * Work trees that make git, or whoever reads them, do something. Each touches a canary of the host's: outside of a box with
 * plain git it does, in the product nobody outside ever runs git there.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { baseFiles } from '../../../server/src/code-hosts/testing/host-repository.ts'
import type { ProofRun } from '../../proof.ts'

export interface TreeAttack {
  name: string
  /** In a checkout. */
  command: string
  /** `git`: all of it is in `.git`, which is no part of the result. `tree`: the result has it, and is refused. */
  place: 'git' | 'tree'
  /** On the host. */
  canary: string
}

const run = promisify(execFile)

/** Canaries are files in `directory`, which a box does not have. */
export function treeAttacks(directory: string): TreeAttack[] {
  const attacks: [name: string, place: TreeAttack['place'], plant: (touch: string, canary: string) => string][] = [
    ['a hook', 'git', (touch) => hook('.git/hooks', touch)],
    [
      'hooks elsewhere',
      'git',
      (touch) => `${hook('.git/elsewhere', touch)}; git config core.hooksPath "$PWD/.git/elsewhere"`,
    ],
    ['a watcher of files', 'git', (touch) => `git config core.fsmonitor '${touch}; false'`],
    ['a program for differences', 'git', (touch) => `git config diff.external '${touch}; true'`],
    [
      'a filter',
      'git',
      (touch) => `git config filter.own.clean '${touch} 2>/dev/null; cat'; echo '* filter=own' > .git/info/attributes`,
    ],
    [
      'a filter that the tree asks for',
      'tree',
      (touch) => `git config filter.asked.clean '${touch} 2>/dev/null; cat'; echo '* filter=asked' > .gitattributes`,
    ],
    [
      'LFS',
      'tree',
      (touch) => `git config filter.lfs.clean '${touch} 2>/dev/null; cat'; echo '* filter=lfs' > .gitattributes;
        printf '[lfs]\\n\\turl = http://127.0.0.1:8080/lfs\\n' > .lfsconfig`,
    ],
    [
      'a repository in the repository',
      'tree',
      (touch) => `${nested('docs/nested')}; git -C docs/nested config core.fsmonitor '${touch}; false'`,
    ],
    [
      'a submodule',
      'tree',
      (touch) => `${nested('docs/module')};
        printf '[submodule "m"]\\n\\tpath = docs/module\\n\\turl = ./docs/module\\n' > .gitmodules;
        git config submodule.m.url ./docs/module; git config submodule.m.active true;
        git config submodule.m.update '!${touch}; true'`,
    ],
    ['a link', 'tree', (_touch, canary) => `ln -s ${canary} docs/link.md`],
  ]
  return attacks.map(([name, place, plant]) => {
    const canary = join(directory, name.replaceAll(' ', '-'))
    return { name, place, canary, command: plant(`touch ${canary}`, canary) }
  })
}

const hook = (folder: string, touch: string) =>
  `mkdir -p ${folder}; for name in pre-commit post-index-change reference-transaction post-checkout; do
    printf '#!/bin/sh\\n${touch}\\ntrue\\n' > ${folder}/$name; chmod +x ${folder}/$name; done`

const nested = (folder: string) =>
  `git init --quiet ${folder}; echo '# Inside' > ${folder}/page.md; git -C ${folder} add page.md;
    git -C ${folder} -c user.name=x -c user.email=x@localhost commit --quiet -m x`

/** What anybody does with a checkout. */
const ordinaryUse = [
  ['add', '--all'],
  ['status'],
  ['-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '--quiet', '--message', 'x'],
  ['diff', 'HEAD^'],
  ['submodule', '--quiet', 'update', '--force'],
]

/** Those whose canary was touched, on the host and outside of any box. The canaries are taken away again. */
export async function fireOutside(proof: ProofRun, attacks: readonly TreeAttack[]): Promise<TreeAttack[]> {
  const fired: TreeAttack[] = []
  for (const attack of attacks) {
    const tree = await mkdtemp(join(tmpdir(), 'colophon-tree-'))
    proof.cleanUp(() => rm(tree, { recursive: true, force: true }))
    const git = (...args: string[]) => run('git', args, { cwd: tree, env: { PATH: process.env.PATH, HOME: tree } })
    await git('init', '--quiet')
    for (const [path, contents] of Object.entries(baseFiles)) {
      await mkdir(dirname(join(tree, path)), { recursive: true })
      await writeFile(join(tree, path), String(contents))
    }
    await git('add', '--all')
    await git('-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '--quiet', '--message', 'base')
    await run('bash', ['-c', `${attack.command}; echo more >> docs/index.md`], { cwd: tree })
    for (const args of ordinaryUse) await git(...args).catch(() => {}) // some break it, and fire all the same
    await run('bash', ['-c', 'for page in docs/*.md; do echo more >> "$page"; done'], { cwd: tree })
    if (existsSync(attack.canary)) fired.push(attack)
    await rm(attack.canary, { force: true })
  }
  return fired
}
