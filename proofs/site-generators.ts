/** A job adds a page, moves another and edits the navigation, and the real site generator builds the branch. */

import { siteGeneratorOf } from '../server/src/site-generators/site-generators.ts'
import { type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { addScriptedModel } from '../testing/harness/scripted-model.ts'
import type { ProofRun } from './proof.ts'
import { buildSite } from './site-generators/build-site.ts'
import { changeSite } from './site-generators/change-site.ts'
import { type BuiltSiteFigures, checkBuiltSite } from './site-generators/check-built-site.ts'
import type { ExampleSite } from './site-generators/example-site.ts'
import { install } from './site-generators/install.ts'
import { allSites, quickSites } from './site-generators/sites/sites.ts'

export const guarantee =
  'Jobs can add and move pages in the sites of all supported generators, and their real builds agree with our URLs'

/** Less than all, because not every machine can install every generator. */
const minGenerators = { ci: 3, stated: 12, full: 12 }

/** Arguments after `--` select generators by their id. */
export async function prove(run: ProofRun): Promise<void> {
  const sitesOfSize = run.size === 'ci' ? quickSites : allSites
  const isSelected = ({ generator }: ExampleSite) => run.args.includes(generator)
  const sites = run.args.length === 0 ? sitesOfSize : allSites.filter(isSelected)
  const colophon = await startColophon(run, 'sites')
  await addScriptedModel(colophon, { name: 'scripted', format: 'anthropic-messages', isDefault: true })
  await colophon.startRunner()

  const built: BuiltSiteFigures[] = []
  for (const site of sites) {
    const { name } = siteGeneratorOf(site.generator)
    const installed = await install(site.generator, site.installation).catch((error: unknown) => error)
    if (typeof installed !== 'string') {
      run.log(`${name} could not be installed: ${installed}`)
      continue
    }
    const figures = await proveSite(run, colophon, site, installed).catch(String)
    if (typeof figures === 'string') run.check(false, `${site.generator}: the site is built, got ${figures}`)
    else built.push(figures)
  }
  const min = run.args.length === 0 ? minGenerators[run.size] : sites.length
  run.check(built.length >= min, `at least ${min} generators are installed and build a site, got ${built.length}`)
  run.figure('generators', built.length)
  run.figure('pages at their URL', sumOf(built.map(({ pages }) => pages)))
  run.figure('links that lead somewhere', sumOf(built.map(({ links }) => links)))
}

async function proveSite(
  run: ProofRun,
  colophon: RunningColophon,
  site: ExampleSite,
  installed: string,
): Promise<BuiltSiteFigures> {
  const { generator } = site
  const check: ProofRun['check'] = (ok, message) => run.check(ok, `${generator}: ${message}`)
  const files = await changeSite(check, colophon, site)
  await using built = await buildSite(site, installed, files)
  const figures = await checkBuiltSite(check, site, files, built.output)
  const seconds = (built.tookMs / 1000).toFixed(1)
  const { name } = siteGeneratorOf(generator)
  run.log(`${name.padEnd(16)} ${figures.pages} pages at their URLs, ${figures.links} links, built in ${seconds} s`)
  return figures
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
