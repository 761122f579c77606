/**
 * Work trees that make git, or another program that reads them, run a command. Each touches a canary file on the host. With
 * plain git outside of a sandbox it succeeds; Colophon never runs git on such a tree outside of the sandbox.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { baseFiles } from '../../server/src/code-hosts/testing/host-test-repository.ts'
import type { ProofRun } from '../proof.ts'

export interface GitAttack {
  name: string
  /** Runs in a checkout. */
  command: string
  /** `git`: entirely in `.git`, which does not belong to the result. `tree`: part of the result, which is refused. */
  location: 'git' | 'tree'
  /** Path on the host. */
  canary: string
}

const run = promisify(execFile)

/** Canaries are files in `directory`, which does not exist in a sandbox. */
export function createGitAttacks(directory: string): GitAttack[] {
  const attacks: [
    name: string,
    location: GitAttack['location'],
    createCommand: (touch: string, canary: string) => string,
  ][] = [
    ['a hook', 'git', (touch) => hook('.git/hooks', touch)],
    [
      'a hook through core.hooksPath',
      'git',
      (touch) => `${hook('.git/elsewhere', touch)}; git config core.hooksPath "$PWD/.git/elsewhere"`,
    ],
    ['core.fsmonitor', 'git', (touch) => `git config core.fsmonitor '${touch}; false'`],
    ['diff.external', 'git', (touch) => `git config diff.external '${touch}; true'`],
    [
      'a filter in info/attributes',
      'git',
      (touch) => `git config filter.own.clean '${touch} 2>/dev/null; cat'; echo '* filter=own' > .git/info/attributes`,
    ],
    [
      'a filter in .gitattributes',
      'tree',
      (touch) =>
        `git config filter.requested.clean '${touch} 2>/dev/null; cat'; echo '* filter=requested' > .gitattributes`,
    ],
    [
      'an LFS filter',
      'tree',
      (touch) => `git config filter.lfs.clean '${touch} 2>/dev/null; cat'; echo '* filter=lfs' > .gitattributes;
        printf '[lfs]\\n\\turl = http://127.0.0.1:8080/lfs\\n' > .lfsconfig`,
    ],
    [
      'a nested repository',
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
    ['a symbolic link', 'tree', (_touch, canary) => `ln -s ${canary} docs/link.md`],
  ]
  return attacks.map(([name, location, createCommand]) => {
    const canary = join(directory, name.replaceAll(/[ /]/g, '-'))
    return { name, location, canary, command: createCommand(`touch ${canary}`, canary) }
  })
}

const hook = (folder: string, touch: string) =>
  `mkdir -p ${folder}; for name in pre-commit post-index-change reference-transaction post-checkout; do
    printf '#!/bin/sh\\n${touch}\\ntrue\\n' > ${folder}/$name; chmod +x ${folder}/$name; done`

const nested = (folder: string) =>
  `git init --quiet ${folder}; echo '# Inside' > ${folder}/page.md; git -C ${folder} add page.md;
    git -C ${folder} -c user.name=x -c user.email=x@localhost commit --quiet -m x`

/** Ordinary git commands. */
const ordinaryCommands = [
  ['add', '--all'],
  ['status'],
  ['-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '--quiet', '--message', 'x'],
  ['diff', 'HEAD^'],
  ['submodule', '--quiet', 'update', '--force'],
]

/** Runs the attacks on the host, outside of any sandbox. Returns those whose canary was touched, and removes the canaries. */
export async function runGitAttacksOnHost(proof: ProofRun, attacks: readonly GitAttack[]): Promise<GitAttack[]> {
  const successful: GitAttack[] = []
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
    for (const args of ordinaryCommands) await git(...args).catch(() => {}) // some commands fail, and touch the canary anyway
    await run('bash', ['-c', 'for page in docs/*.md; do echo more >> "$page"; done'], { cwd: tree })
    if (existsSync(attack.canary)) successful.push(attack)
    await rm(attack.canary, { force: true })
  }
  return successful
}
