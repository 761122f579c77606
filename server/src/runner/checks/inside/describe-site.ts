/** Runs in the sandbox before the agent: recognizes the site generator, and prints how its navigation works as JSON. */
import { siteGeneratorOf } from '../../../site-generators/site-generators.ts'
import { listSites, readCheckedRepository } from './find-refusals.ts'

const [site] = await listSites(readCheckedRepository())
if (!site) throw new Error('findSites never returns an empty list')
const generator = siteGeneratorOf(site.generator)
process.stdout.write(
  JSON.stringify({
    id: site.generator,
    name: generator.name,
    navigation: generator.describeNavigation(site),
  }),
)
