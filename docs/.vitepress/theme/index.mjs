import theme from 'vitepress/theme-without-fonts';
import '../../../web/src/ui/tokens.css';
import '../../../web/src/ui/typeface.css';
import TryIt from './components/TryIt.vue';
import { withSearch } from './search.mjs';
import './style.css';
import './components/reference.css';
import './home.css';

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default {
  extends: theme,
  enhanceApp: ({ app, siteData }) => {
    app.component('TryIt', TryIt);
    siteData.value = withSearch(siteData.value);
  },
};
