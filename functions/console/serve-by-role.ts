import { operatorPath } from '../../shared/config/console.ts';
import type { Endpoint } from '../endpoint.ts';

/**
 * Serves `operatorPages` below `operator/` and `pages` elsewhere. Identity-Aware Proxy checks the path of a
 * request as it arrives and in its normalized form, so this looks at it as it arrived, too:
 * https://docs.cloud.google.com/chrome-enterprise-premium/docs/hostname-and-path-conditions
 */
export function serveByRole(pages: Endpoint, operatorPages: Endpoint): Endpoint {
  const prefix = `/${operatorPath}`;
  return (request, response) => {
    const { url = '' } = request;
    if (!url.startsWith(prefix)) return pages(request, response);
    request.url = url.slice(prefix.length - 1);
    return operatorPages(request, response);
  };
}
