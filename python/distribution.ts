/**
 * The one setting for the name under which the Python client is distributed. People import `colophon_client`, whatever this is.
 *
 * Nobody owns the name on PyPI yet, so no page tells people to install it by its name: it could be someone else's.
 */
export const pythonDistributionName = 'colophon-client'
