package ugc.analysis;

import org.elasticsearch.plugin.settings.AnalysisSettings;
import org.elasticsearch.plugin.settings.StringSetting;

@AnalysisSettings
public interface StemmerSettings {

    @StringSetting(path = "language", defaultValue = "")
    String language();

    /** The older name of the same setting; what counts when no language is given. */
    @StringSetting(path = "name", defaultValue = "porter")
    String name();
}
