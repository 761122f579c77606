/**
 * All workflows in one script, which Temporal runs. To create it takes seconds of CPU time, needs webpack, and could fail, so it
 * is created once for each version of the sources, by `npm run build` and in the build of the image. A process that finds no
 * bundle of the current sources, because they were changed since, creates it.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

const sourceDirectory = join(import.meta.dirname, '../../workflows')
const bundleDirectory = join(import.meta.dirname, '../../../dist')
const bundleName = /^workflows-.*\.js$/

export async function getWorkflowBundle(): Promise<{ codePath: string }> {
  const name = `workflows-${hashSources()}.js`
  const codePath = join(bundleDirectory, name)
  if (existsSync(codePath)) return { codePath }
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(sourceDirectory, 'all.ts'),
    workflowInterceptorModules: [join(sourceDirectory, 'trace-context.ts')],
    logger: new DefaultLogger('ERROR'),
  })
  await mkdir(bundleDirectory, { recursive: true })
  const outdated = (await readdir(bundleDirectory)).filter((file) => bundleName.test(file) && file !== name)
  for (const file of outdated) await rm(join(bundleDirectory, file), { force: true })
  const part = `${codePath}.${process.pid}.part`
  await writeFile(part, code)
  await rename(part, codePath) // several processes may create the same bundle at the same time
  return { codePath }
}

/** Everything that a bundle depends on: workflows import nothing but each other and Temporal (.dependency-cruiser.mjs). */
function hashSources(): string {
  const hash = createHash('sha256')
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string }
  hash.update(version)
  const sources = globSync('*.ts', { cwd: sourceDirectory }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of sources.sort()) hash.update(`\0${file}\0`).update(readFileSync(join(sourceDirectory, file)))
  return hash.digest('hex').slice(0, 16)
}
