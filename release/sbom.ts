/** A CycloneDX document, as `npm sbom` writes it. */
interface Sbom {
  components: { 'bom-ref': string }[]
  dependencies: { ref: string }[]
}

/** npm lists every workspace, even one that nothing depends on at run time. This one is for tests and is not released. */
const isUnreleased = (reference: string) => reference.startsWith('@colophon/github-simulator@')

export function removeUnreleasedPackages(text: string): string {
  const sbom = JSON.parse(text) as Sbom
  const components = sbom.components.filter((component) => !isUnreleased(component['bom-ref']))
  const dependencies = sbom.dependencies.filter(({ ref }) => !isUnreleased(ref))
  return `${JSON.stringify({ ...sbom, components, dependencies }, null, 2)}\n`
}
