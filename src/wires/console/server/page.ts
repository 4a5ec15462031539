export const PAGE: string = "<!doctype html>";
export const PAGE_POLICY: string = "default-src 'none'";
