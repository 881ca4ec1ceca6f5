import { operatorPath } from '../../shared/config/console.ts';
import type { RawEndpoint } from '../raw-requests.ts';

/**
 * Serves `operatorPages` below `operator/` and `pages` elsewhere. Identity-Aware Proxy checks the path of a request as it
 * arrives and in its normalized form, so this looks at it as it arrived, too:
 * https://docs.cloud.google.com/chrome-enterprise-premium/docs/hostname-and-path-conditions
 */
export function serveByRole(pages: RawEndpoint, operatorPages: RawEndpoint): RawEndpoint {
  const prefix = `/${operatorPath}`;
  return (request, response) => {
    const { url = '' } = request;
    if (!url.startsWith(prefix)) return pages(request, response);
    request.url = url.slice(prefix.length - 1);
    return operatorPages(request, response);
  };
}
