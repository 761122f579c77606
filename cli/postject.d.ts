/** The part of postject that we use. It has no types of its own. */
declare module 'postject' {
  export function inject(
    file: string,
    resourceName: string,
    resource: Buffer,
    options: { sentinelFuse: string },
  ): Promise<void>
}
